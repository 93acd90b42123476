import { linuxPty } from "./linux-pty.ts";
import { ptyContract } from "./pty.contract.ts";

ptyContract(linuxPty, new Map());
