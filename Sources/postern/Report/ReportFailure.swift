import Glibc

/// An error that says where a report could not be written, and why.
struct ReportFailure: Error, CustomStringConvertible {
  let description: String

  /// Writes every one of these, also after one that fails. Throws what all of them failed for.
  static func each(_ writings: (() throws -> Void)...) throws {
    var failures: [String] = []
    for write in writings {
      do {
        try write()
      } catch {
        failures.append("\(error)")
      }
    }
    guard failures.isEmpty else { throw ReportFailure(failures.joined(separator: "; ")) }
  }

  private init(_ description: String) {
    self.description = description
  }

  init(_ flag: String, _ path: String, _ error: FileError) {
    description = "\(flag): cannot write \(path): \(error)"
  }
}
