/// The devices that were signed out because their refresh tokens were refused.
package struct SignOutTally: Hashable, Sendable, Codable {
  /// The devices that had a refresh token.
  package var devices = 0
  /// The sign-outs by cause. A device that logs in again may have several.
  package var causes: [TokenJar.Cause: Int] = [:]
  /// Refresh tokens that were shown again because no answer had come, and how many of them were refused.
  package var shownAgain = 0
  package var shownAgainRefused = 0

  package init() {}

  package var total: Int { causes.values.reduce(0, +) }

  func merged(_ other: SignOutTally) -> SignOutTally {
    var sum = self
    sum.devices += other.devices
    sum.causes.merge(other.causes, uniquingKeysWith: +)
    sum.shownAgain += other.shownAgain
    sum.shownAgainRefused += other.shownAgainRefused
    return sum
  }

  func since(_ earlier: SignOutTally?) -> SignOutTally {
    guard let earlier else { return self }
    var part = self
    part.devices -= earlier.devices
    for (cause, number) in earlier.causes { part.causes[cause, default: 0] -= number }
    part.shownAgain -= earlier.shownAgain
    part.shownAgainRefused -= earlier.shownAgainRefused
    return part
  }
}
