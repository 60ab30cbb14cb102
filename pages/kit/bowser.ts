/** Types and entry of bowser that bundle without its polyfills. */
import Bowser from 'bowser';

export { Bowser };
