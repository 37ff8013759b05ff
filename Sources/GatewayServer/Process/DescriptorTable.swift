internal import Glibc

/// The system's table of the process's descriptors.
///
/// The kernel doubles the table when it is full, e.g. at the 257th and the 513th descriptor. In a process with threads it then
/// waits until no processor uses the old table. A client that connects just then is served 12 to 25 ms later. Linux never makes
/// the table smaller again.
package enum DescriptorTable {
  /// The maximum number of descriptors that room is made for, about 1 MB. A system may let a process open
  /// 1,000,000,000.
  private static let countMax = 131_072

  /// Makes room for `count` descriptors, or as many as the process may open. Costs the kernel eight bytes for each. In a
  /// process with one thread the kernel does not wait; with several this takes about 15 ms.
  package static func makeRoom(for count: Int) {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let last = fcntl(descriptor, F_DUPFD_CLOEXEC, CInt(min(count, countMax, ProcessFigures.descriptorLimit) - 1))
    if last >= 0 { close(last) }
  }
}
