// What of the shell is open: the drawer on small screens, the column on large ones.

import { signal } from '@preact/signals'

export const drawerOpen = signal(false)
export const keysOpen = signal(false)
export const findOpen = signal(false)

/** Below this width the session list is a drawer. */
export const wide = matchMedia('(min-width: 1024px)')
