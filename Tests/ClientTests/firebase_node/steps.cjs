// Runs the steps of a test in order, and prints the result of each as one line of JSON.
const assert = require("node:assert/strict");

// Returns the names of the methods of an object, without those that TypeScript declares private.
const methodsOf = (object) => {
  const names = new Set();
  for (let type = object; type && type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    for (const name of Object.getOwnPropertyNames(type)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(type, name).value === "function";
      if (isMethod && name !== "constructor" && !name.startsWith("_")) names.add(name);
    }
  }
  return [...names];
};

const run = async (steps) => {
  for (const [name, step] of Object.entries(steps)) {
    let error = null;
    try {
      await step();
    } catch (thrown) {
      error = `${thrown.code ?? thrown.name}: ${thrown.message}`.slice(0, 1000);
    }
    console.log(JSON.stringify({ step: name, error }));
  }
};

// Asserts that a promise fails with a code of the SDK.
const fails = async (promise, code) => {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code);
    return true;
  });
};

// Sends a request of an app, and returns the body of the response.
const post = async (path, body, headers = {}) => {
  const url = `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}${path}`;
  const response = await fetch(url, {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body),
  });
  return response.status === 204 ? {} : response.json();
};
const call = (operation, body) => post(`/v1/accounts:${operation}?key=any`, body);

// Returns the email action codes that `sekisho dev` has captured for an address, oldest first.
const codes = async (email, type) => {
  const url = `http://${process.env.FIREBASE_AUTH_EMULATOR_HOST}/emulator/v1/projects/demo/oobCodes`;
  const { oobCodes } = await (await fetch(url)).json();
  return oobCodes.filter((code) => code.email === email && code.requestType === type);
};

const unsigned = (claims) =>
  [{ alg: "none", typ: "JWT" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".") + ".";

module.exports = { assert, call, codes, fails, methodsOf, post, run, unsigned };
