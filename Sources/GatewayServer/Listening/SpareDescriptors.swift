internal import CLibWebSockets
internal import Glibc

/// A few descriptors of low numbers, held for connections whose own numbers are above the library's table: such a
/// connection is moved to one of them and told 503 there, over TLS too. Only on the loop.
final class SpareDescriptors {
  private var numbers: [CInt] = []
  private let limit: Int
  private static let countMax = 8

  /// - Parameter limit: The numbers must be below it.
  init(below limit: Int) {
    self.limit = limit
    fill()
  }

  deinit {
    for number in numbers { close(number) }
  }

  /// The number that the connection has from here on, in place of `descriptor`; nil if none is spare.
  func take(for descriptor: CInt) -> CInt? {
    fill()
    guard let number = numbers.popLast() else { return nil }
    guard postern_move_descriptor(descriptor, number) == 0 else {
      numbers.append(number)
      return nil
    }
    return number
  }

  /// Holds as many as it may, of those that are free: when a connection on one of them has ended, say.
  func fill() {
    while numbers.count < Self.countMax {
      let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { return }
      guard number < limit else {
        close(number)
        return
      }
      numbers.append(number)
    }
  }
}
