/** Every request that must be refused without using up its nonce. (Interface 6) */
import type { RefusedCase } from './case.js';
import { contentCases } from './contents.js';
import { coverageCases } from './coverage.js';
import { fieldCases } from './fields.js';
import { parameterCases } from './parameters.js';

export const refusedCases: RefusedCase[] = [...contentCases, ...coverageCases, ...parameterCases, ...fieldCases];
