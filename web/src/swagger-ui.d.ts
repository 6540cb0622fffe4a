declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface Options {
    readonly url: string | undefined;
    readonly domNode: HTMLElement;
    readonly deepLinking: boolean;
    readonly tryItOutEnabled: boolean;
    readonly validatorUrl: null;
    readonly requestInterceptor: (request: { headers: Record<string, string> }) => unknown;
  }
  export default function SwaggerUI(options: Options): void;
}
