import FoundationEssentials
import Glibc

/// A report that could not be written: where to, and why.
struct ReportFailure: Error, CustomStringConvertible {
  let description: String

  init(_ flag: String, _ path: String, _ error: any Error) {
    let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] as? POSIXError
    let reason = cause.map { String(cString: strerror($0.code.rawValue)) }
    description = "\(flag): cannot write \(path): \(reason ?? "\(error)")"
  }
}
