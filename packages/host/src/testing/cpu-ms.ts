/** What a synchronous piece of work costs this thread, in ms of processor time: whatever else the machine does is not in it. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
