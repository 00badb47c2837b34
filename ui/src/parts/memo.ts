import { Component, h } from 'preact'
import type { ComponentType } from 'preact'

/** A component that is drawn again only when same says no. */
export function memo<P extends object>(Inner: ComponentType<P>, same: (a: P, b: P) => boolean): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean { return !same(this.props, next) }
    override render() { return h(Inner as ComponentType<object>, this.props) }
  } as unknown as ComponentType<P>
}
