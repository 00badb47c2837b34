// Who moves the page: the page only while the reader is at the end; otherwise nobody.

/** Within this many pixels of the end the page follows. */
const nearEnd = 40

export class FollowScroll {
  following = true
  private wrote = 0
  private last = 0
  private sizes: ResizeObserver

  /** changed is called when following goes on or off; growsAbove says whether older rows may come. */
  constructor(private el: HTMLElement, content: HTMLElement, private changed: (following: boolean) => void, private growsAbove: () => boolean) {
    el.addEventListener('scroll', this.scrolled, { passive: true })
    el.addEventListener('click', this.pressed, { capture: true })
    this.sizes = new ResizeObserver(() => (this.held ? this.hold() : this.pin()))
    this.sizes.observe(content)
    this.sizes.observe(el)
  }

  stop(): void {
    this.el.removeEventListener('scroll', this.scrolled)
    this.el.removeEventListener('click', this.pressed, { capture: true })
    this.sizes.disconnect()
  }

  private get rest(): number { return this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.set(true)
    this.pin()
  }

  /** Puts the page somewhere; following is as far as the end is near. */
  to(top: number): void {
    this.el.scrollTop = top
    this.wrote = this.last = this.el.scrollTop
    this.set(this.rest <= nearEnd)
  }

  leave(): void { this.set(false) }

  // What opens or folds stays under the hand that pressed it.
  private held?: { el: Element; top: number }

  private pressed = (e: MouseEvent): void => {
    const el = (e.target as Element).closest('[aria-expanded]')
    if (!el) return
    const held = (this.held = { el, top: el.getBoundingClientRect().top })
    setTimeout(() => { if (this.held === held) delete this.held }, 150)
  }

  private hold(): void {
    const { el, top } = this.held!
    if (!el.isConnected) return
    const moved = el.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) this.el.scrollTop += moved
    this.wrote = this.last = this.el.scrollTop
    this.set(this.rest <= nearEnd)
  }

  private pin(): void {
    if (!this.following) return
    this.el.scrollTop = this.el.scrollHeight
    this.wrote = this.last = this.el.scrollTop
  }

  // A scroll to another place than the page wrote last is the reader's, whatever made it.
  private scrolled = (): void => {
    // At the very top browsers do not keep the place when rows are put above.
    if (this.el.scrollTop < 1 && this.growsAbove()) this.el.scrollTop = 1
    const top = this.el.scrollTop
    const up = top < this.last
    this.last = top
    if (Math.abs(top - this.wrote) <= 1) return
    this.wrote = -1
    if (up && this.rest > 1) this.set(false)
    else if (this.rest <= nearEnd) this.set(true)
  }

  private set(following: boolean): void {
    if (this.following === following) return
    this.following = following
    // While the page is pinned to its end the browser's own anchoring would fight it.
    this.el.classList.toggle('following', following)
    this.changed(following)
  }
}
