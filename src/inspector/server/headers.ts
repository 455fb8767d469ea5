/** The headers of every answer: nothing is kept, framed, sniffed, or loaded from elsewhere. */

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>

/** On every answer, whatever it is. */
export const commonHeaders: Headers = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/** What is no page loads nothing at all. */
export const barePolicy = "default-src 'none'; frame-ancestors 'none'"

/** What a page may load. */
export interface PagePolicy {
  /** Marks the scripts that are ours. */
  readonly nonce: string
  /** By which the page was asked for; its sockets go there. */
  readonly host: string
  /** The one host whose pages may stand in a frame. */
  readonly frame?: string
}

/** The policy of a page: its own files, and markup that no text of a user can turn into code. */
export function pagePolicy({ nonce, host, frame }: PagePolicy): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ws://${host}`,
    ...(frame === undefined ? [] : [`frame-src ${frame}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}
