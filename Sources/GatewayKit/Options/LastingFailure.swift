/// An error at the start of a process that another start may meet again. Where it does so until an operator acts, a service
/// manager should leave the process alone: exit status 3.
package protocol LastingFailure: Error, CustomStringConvertible {
  /// Whether every start meets it until an operator acts.
  var isLasting: Bool { get }
}
