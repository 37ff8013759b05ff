import Foundation

/// A report that could not be written: where to, and why.
struct ReportFailure: Error, CustomStringConvertible {
  let description: String

  init(_ flag: String, _ path: String, _ error: any Error) {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    let reason = cause.map { String(cString: strerror(Int32(truncatingIfNeeded: ($0 as NSError).code))) }
    description = "\(flag): cannot write \(path): \(reason ?? error.localizedDescription)"
  }
}
