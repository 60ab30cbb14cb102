/** Client connections that one instance accepts at once. The listener enforces it; `doctor` compares open files with it. */
export const MAX_CONNECTIONS = 2_048;
