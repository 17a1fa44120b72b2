// Put before the page's own scripts: keeps what goes wrong in them.
window.problems = [];
addEventListener("error", event => problems.push(`error: ${event.message}`));
addEventListener("unhandledrejection", event => problems.push(`error: ${event.reason}`));
addEventListener("securitypolicyviolation", event => problems.push(`network: ${event.blockedURI}`));
