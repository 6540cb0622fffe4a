const SHORT_UUID = /^~[\w-]{22}$/;
const GROUPS = /(.{8})(.{4})(.{4})(.{4})(.{12})/;

/** The id of a row; the server sends UUIDs in base64 after "~". */
export function wholeId(sent: string): string {
  if (!SHORT_UUID.test(sent)) return sent;
  const bytes = atob(sent.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
  const digits = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return digits.replace(GROUPS, "$1-$2-$3-$4-$5");
}
