/** The logger of the gateway. (Interface 14) */
import { pino } from 'pino';
import { utcText } from './clock.js';
import { createLogDestination, type LogDestination } from './log-destination.js';
import type { LOG_LEVELS, Logger } from './logger.js';

export function createLogger(
  level: (typeof LOG_LEVELS)[number],
  destination: LogDestination = createLogDestination(process.stdout),
): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, timestamp: () => `,"time":"${utcText(Date.now())}"`, formatters }, destination);
}
