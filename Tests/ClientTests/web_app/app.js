import { Client } from "./sign_in.js";

const settings = Object.fromEntries(new URLSearchParams(location.search));
window.client = new Client(settings);
window.loaded = true;
