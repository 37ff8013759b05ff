/// An error at the start of a process that may recur at the next start. If it recurs until an operator acts, a service
/// manager should not restart the process: exit status 3.
package protocol LastingFailure: Error, CustomStringConvertible {
  /// Whether every start fails with it until an operator acts.
  var isLasting: Bool { get }
}
