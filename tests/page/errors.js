// Put before the page's own scripts: keeps what goes wrong in them, and what they would keep in files.
window.problems = [];
window.kept = [];
addEventListener("error", event => problems.push(`error: ${event.message}`));
addEventListener("unhandledrejection", event => problems.push(`error: ${event.reason}`));
addEventListener("securitypolicyviolation", event => problems.push(`network: ${event.blockedURI}`));
window.Blob = function (parts) { kept.push(parts.join("")); };
URL.createObjectURL = () => "#";
