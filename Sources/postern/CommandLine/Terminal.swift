import Glibc

/// The terminal behind a descriptor, if one is there, with its number of columns.
enum Terminal {
  static func isBehind(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// How many columns it has; nil where no terminal is, or it does not say.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
