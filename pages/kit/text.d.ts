/** The bundle takes such a file as its text. */
declare module '*.graphql' {
  const text: string;
  export default text;
}

declare module '*.sh' {
  const text: string;
  export default text;
}
