/** The page `/api/docs`: the interactive API reference. */
import "swagger-ui-dist/swagger-ui.css";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const root = document.getElementById("root");
if (root === null) throw new Error("The document has no #root.");

SwaggerUI({
  url: root.dataset["openapi"],
  domNode: root,
  deepLinking: true,
  tryItOutEnabled: true,
  // Never send our schema to another site.
  validatorUrl: null,
  requestInterceptor: (request: { headers: Record<string, string> }) => {
    request.headers["X-Requested-With"] = "fundwright";
    return request;
  },
});
