import Glibc

/// The terminal behind a descriptor, if there is one.
enum Terminal {
  static func isBehind(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Returns the terminal's number of columns; nil if the descriptor is no terminal or gives no size.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
