/** The version of the public API: of the OpenAPI document, not of the software. The first number is that of the path, /v1. */
export const API_VERSION = '1.0.0'
