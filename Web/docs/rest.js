// Shows an OpenAPI document with Swagger UI, which is loaded before this script.
const element = document.querySelector("#reference");

globalThis.SwaggerUIBundle({
    url: element.dataset.document,
    domNode: element,
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    // Nothing leaves this server, and no key or token outlives the page.
    validatorUrl: null,
    persistAuthorization: false,
});
