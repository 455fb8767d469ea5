/** Light, dark, or as the system has it. */

import type { JSX } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** Where the browser keeps the choice. */
const key = 'stele-theme'

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(key)
    return themes.find((theme) => theme === stored) ?? 'system'
  } catch {
    // A browser may keep nothing for anybody.
    return 'system'
  }
}

function storeTheme(theme: Theme): void {
  try {
    localStorage.setItem(key, theme)
  } catch {
    // Then it holds until the page is closed.
  }
}

/** Goes from one theme to the next. */
export function ThemeToggle(): JSX.Element {
  const [theme, setTheme] = useState(storedTheme)
  useLayoutEffect(() => {
    document.documentElement.dataset['theme'] = theme
    storeTheme(theme)
  }, [theme])
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      class="theme"
      title={`Theme: ${theme}`}
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => setTheme(next)}
    >
      {theme === 'system' ? '◐' : theme === 'light' ? '☀' : '☾'}
    </button>
  )
}
