internal import GatewayCore

extension StreamUser {
  /// Throws if the user may not come in: they were deleted, or deactivated.
  func checkStanding() throws(GatewayError) {
    try checkKept()
    if deactivatedAt != nil { throw .userDeactivated.worded("the user \(id) was deactivated") }
  }

  /// Throws if the user was deleted: until somebody restores them, they are neither changed nor made anew.
  func checkKept() throws(GatewayError) {
    if deletedAt != nil { throw .userDeactivated.worded("the user \(id) was deleted") }
  }
}
