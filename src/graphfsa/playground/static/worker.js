// Inside the worker.

import { Host } from "./host.js";

const host = new Host((frame) => postMessage(frame, frame.states ? [frame.states.buffer] : []));
onmessage = ({ data }) => host.handle(data);
