internal import GatewayCore
internal import Synchronization

/// A source of secrets and unguessable names: the system's generator or, in a simulated world, a seed. A seeded run repeats
/// itself byte for byte, but its values are not secret.
package final class Secrets: Sendable {
  /// The system's generator, which is unpredictable.
  package static let system = Secrets(nil)

  private let generator: Mutex<SeededGenerator?>

  private init(_ generator: SeededGenerator?) {
    self.generator = Mutex(generator)
  }

  /// Creates a source from a seed, for use only where nothing must be kept secret.
  package convenience init(seed: UInt64) {
    self.init(SeededGenerator(seed: seed))
  }

  /// Returns `count` random bytes.
  package func bytes(_ count: Int) -> [UInt8] {
    generator.withLock { generator in
      guard generator != nil else { return SecureRandom.bytes(count) }
      return (0..<count).map { _ in UInt8(truncatingIfNeeded: (generator?.next() ?? 0) >> 32) }
    }
  }
}
