export interface UploadOptions {
  readonly url: string;
  readonly file: File;
  /** Between 0 and 1. */
  readonly onProgress: (share: number) => void;
}

export interface Upload {
  /** The response of the server; rejects with an error message for the person. */
  readonly answer: Promise<unknown>;
  readonly cancel: () => void;
}

interface ErrorAnswer {
  readonly error?: { readonly message?: string };
}

/** Sends one file over plain HTTP as the form field `file`. `fetch` cannot tell how much has been sent. */
export function upload({ url, file, onProgress }: UploadOptions): Upload {
  const request = new XMLHttpRequest();
  const answer = new Promise<unknown>((resolve, reject) => {
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const body = parse(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body);
      else reject(new Error((body as ErrorAnswer | null)?.error?.message ?? ""));
    };
    request.onerror = () => reject(new Error(""));
    request.onabort = () => reject(new DOMException("Canceled", "AbortError"));
  });
  const body = new FormData();
  body.append("file", file);
  request.open("POST", url);
  request.setRequestHeader("X-Requested-With", "fundwright");
  request.send(body);
  return { answer, cancel: () => request.abort() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
