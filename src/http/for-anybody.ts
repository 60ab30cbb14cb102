/** The header of what is public: scripts of every origin may read it, and every cache may store it. */

/** @param maxAgeSeconds how long a cache may use it without asking again */
export function forAnybody(maxAgeSeconds: number): Record<string, string> {
  return {
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': `public, max-age=${maxAgeSeconds}`,
  };
}
