/** The version of the public API and its OpenAPI document, not of the software. The major version is the one in the path, /v1. */
export const API_VERSION = '1.0.0'
