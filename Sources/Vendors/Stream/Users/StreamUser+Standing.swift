internal import GatewayCore

extension StreamUser {
  /// Throws if the user may not connect because they were deleted or deactivated.
  func checkStanding() throws(GatewayError) {
    try checkKept()
    if deactivatedAt != nil { throw .userDeactivated.worded("the user \(id) was deactivated") }
  }

  /// Throws if the user was deleted: a deleted user must be restored before being changed or created again.
  func checkKept() throws(GatewayError) {
    if deletedAt != nil { throw .userDeactivated.worded("the user \(id) was deleted") }
  }
}
