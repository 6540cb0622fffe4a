/** The page `/api/docs`: the API's reference, to read and to try out. */
import "swagger-ui-dist/swagger-ui.css";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const root = document.getElementById("root");
if (root === null) throw new Error("The document has no #root.");

SwaggerUI({
  url: root.dataset["openapi"],
  domNode: root,
  deepLinking: true,
  tryItOutEnabled: true,
  // Another site has no business with our schema.
  validatorUrl: null,
  requestInterceptor: (request: { headers: Record<string, string> }) => {
    request.headers["X-Requested-With"] = "fundwright";
    return request;
  },
});
