import GatewayKit
import Glibc

/// The folder of `--spaces-folder`, which has the only files that an order for a space may name.
struct SpaceFolder: Sendable {
  let path: String

  private static let sizeMax = 1 << 20

  /// Returns the bytes of the regular file of that name, at most 1 MiB. The name may have parts separated by /; no part may
  /// begin with a dot. Throws the same error for every cause.
  func read(_ name: String, of flag: Flag) throws -> [UInt8] {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isBelow = parts.allSatisfy { !$0.isEmpty && $0.utf8.first != UInt8(ascii: ".") && !$0.utf8.contains(0) }
    let file = "\(path)/\(name)"
    guard isBelow, Self.isRegular(file),
      let bytes = try? InputFile.readLocal(file, of: flag.name, sizeMax: Self.sizeMax)
    else {
      throw UsageError(
        "settings: '\(flag.name)': no such file in the folder of --spaces-folder; expected a regular file of at most "
          + "\(Self.sizeMax) bytes, whose name has no part that begins with a dot")
    }
    return bytes
  }

  /// Returns whether it is a regular file. Reading a pipe would block all spaces.
  private static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
