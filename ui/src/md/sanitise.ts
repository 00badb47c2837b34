// The one place where text becomes HTML. Whatever comes in, only harmless elements
// come out: no script, no style, no picture that loads by itself, no foreign link.

import DOMPurify from 'dompurify'

const allowed = ['a', 'b', 'blockquote', 'br', 'code', 'del', 'dd', 'dl', 'dt', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'input',
  'kbd', 'li', 'mark', 'ol', 'p', 'pre', 's', 'section', 'span', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']

/** HTML → nodes that can stand in the page. */
export function toNodes(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: allowed,
    ALLOWED_ATTR: ['href', 'class', 'align', 'start', 'type', 'checked', 'disabled', 'data-picture', 'data-alt', 'data-lang', 'id', 'dir'],
    ADD_URI_SAFE_ATTR: ['align', 'start', 'type', 'checked', 'disabled', 'data-picture', 'data-alt', 'data-lang', 'dir'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#fn)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
}
