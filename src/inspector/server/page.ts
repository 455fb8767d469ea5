/** The pages themselves: a frame of markup, without any text of a user. */

/** What a page is made of. */
export interface PageParts {
  /** Marks our own scripts. */
  readonly nonce: string
}

/** Where the viewer's modules find the packages they import. */
const imports = {
  preact: '/assets/preact.mjs',
  'preact/hooks': '/assets/preact-hooks.mjs',
  'preact/jsx-runtime': '/assets/preact-jsx-runtime.mjs',
}

/** The viewer. */
export function viewerPage({ nonce }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stele</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/viewer.css">
<script type="importmap" nonce="${nonce}">${JSON.stringify({ imports })}</script>
<script type="module" nonce="${nonce}" src="/assets/main.js"></script>
</head>
<body>
<div id="app"><noscript>The viewer needs JavaScript.</noscript></div>
</body>
</html>
`
}

/** The one host that the bridge lets into its frame. */
export const statelyHost = 'https://stately.ai'

/** The bridge: the hosted inspector in a frame, and a script that hands it what goes on. */
export function statelyPage({ nonce }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stele in the Stately inspector</title>
<link rel="stylesheet" href="/assets/viewer.css">
<script type="module" nonce="${nonce}" src="/assets/stately.js"></script>
</head>
<body class="stately">
<p id="status" role="status">Connecting to the Stately inspector …</p>
<iframe id="inspector" title="Stately inspector"></iframe>
</body>
</html>
`
}
