/** What this machine's processor can do with 8-bit products. */
import { existsSync, readFileSync } from 'node:fs';

const CPU_INFO = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : 'vnni';

/** False on an x64 processor without VNNI: it adds 8-bit products in 16 bits, which saturate, so that models sound otherwise. */
export const HAS_EXACT_INT8 = process.arch !== 'x64' || /vnni/.test(CPU_INFO);
