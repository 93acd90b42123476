// Tells whether the packages are installed, by whomever. Runs on Node 20.

/** Whether npm may leave a package out: an optional one, unless it says that it is made for this machine. */
const mayBeLeftOut = ({ optional, os, cpu, libc }, { platform, arch }) =>
  optional === true &&
  !(os?.includes(platform) === true && cpu?.includes(arch) === true && libc === undefined);

/**
 * Whether what npm wrote down of its last installation (`node_modules/.package-lock.json`) is what the lock file asks for;
 * npm writes it last, so it tells of no installation that was cut short.
 */
export function isInstalled(lock, installed, machine = process) {
  const isSame = ([path, wanted]) =>
    path === "" ||
    (path in installed.packages
      ? JSON.stringify(installed.packages[path]) === JSON.stringify(wanted)
      : mayBeLeftOut(wanted, machine));
  return (
    Object.entries(lock.packages).every(isSame) &&
    Object.keys(installed.packages).every((path) => path in lock.packages)
  );
}
