/** The signals that end the gateway. */
export const STOPS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
