import FoundationEssentials
import Glibc

/// An error that says where a report could not be written, and why: the disk is full, for instance.
struct ReportFailure: Error, CustomStringConvertible {
  let description: String

  init(_ flag: String, _ path: String, _ error: any Error) {
    let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] as? POSIXError
    let reason = cause.map { String(cString: strerror($0.code.rawValue)) }
    description = "\(flag): cannot write \(path): \(reason ?? "\(error)")"
  }
}
