internal import Glibc

/// The system's table of the process' descriptors.
///
/// The kernel makes one of twice the size when it is full, at the 257th descriptor and the 513th among others, and in a
/// process with threads it then waits until no processor looks at the old one: whoever connects just then is served 12 to
/// 25 ms later. Linux never makes it smaller again.
package enum DescriptorTable {
  /// For how many room is made at most: a megabyte. A system may let a process open a thousand million.
  private static let countMax = 131_072

  /// Has it hold `count` descriptors from here on, or as many as the process may open. Costs the kernel eight bytes for each.
  /// In a process with one thread the kernel waits for nobody; with several this takes about 15 ms.
  package static func makeRoom(for count: Int) {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let last = fcntl(descriptor, F_DUPFD_CLOEXEC, CInt(min(count, countMax, ProcessFigures.descriptorLimit) - 1))
    if last >= 0 { close(last) }
  }
}
