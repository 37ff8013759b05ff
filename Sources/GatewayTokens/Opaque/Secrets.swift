internal import GatewayCore
internal import Synchronization

/// The source of secrets, and of names that nobody can guess, an opaque token's for instance: the system's generator;
/// in a simulated world a seed, so that a run repeats itself byte for byte. A seeded secret is none.
package final class Secrets: Sendable {
  /// Chance that nobody can foresee.
  package static let system = Secrets(nil)

  private let generator: Mutex<SeededGenerator?>

  private init(_ generator: SeededGenerator?) {
    self.generator = Mutex(generator)
  }

  /// What follows from a seed. Only where nothing has to be kept from anybody.
  package convenience init(seed: UInt64) {
    self.init(SeededGenerator(seed: seed))
  }

  /// So many bytes of chance.
  package func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      guard generator != nil else { return SecureRandom.bytes(count) }
      return (0..<count).map { _ in UInt8(truncatingIfNeeded: (generator?.next() ?? 0) >> 32) }
    }
  }
}
