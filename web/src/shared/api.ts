/** Requests to this server, as the client makes them. */
export { ApiError, type CallOptions, call, request } from '../client/request.js';
