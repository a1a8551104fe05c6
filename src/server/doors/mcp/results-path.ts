/** Where results are downloaded, behind the door's prefix. */
export const RESULTS_PATH = '/results';
