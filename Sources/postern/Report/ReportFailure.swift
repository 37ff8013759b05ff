import Glibc

/// An error for a report that could not be written: the place and the reason.
struct ReportFailure: Error, CustomStringConvertible {
  let description: String

  /// Runs all writings, even after one fails. Throws one error with all failures.
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
