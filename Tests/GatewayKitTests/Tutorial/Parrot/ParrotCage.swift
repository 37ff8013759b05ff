import GatewayCore
import GatewayKit

/// The words that the parrot has learned, `krah` for instance.
struct ParrotCage: Sendable {
  private static let words = StoreTable<ParrotWord>("parrot.word")

  private let store: any Store
  private let wordsMax: Int

  init(_ store: any Store, wordsMax: Int) {
    self.store = store
    self.wordsMax = wordsMax
  }

  /// Whether the word is new to the parrot; it knows it from here on. Throws `GatewayError.tooMany` if it can learn no
  /// more, and `GatewayError.storeUnavailable`.
  func learn(_ word: String, from user: UserID, at now: WallTime) async throws(GatewayError) -> Bool {
    let count = StoreCount("parrot.words", atMost: wordsMax, of: "words")
    return try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Bool in
      let key = Self.words.key(word)
      guard try await transaction.get(key, as: ParrotWord.self) == nil else { return false }
      transaction.put(key, ParrotWord(word: word, learnedFrom: user), in: [count])
      return true
    }
  }

  /// Whether it knew the word, which it does no longer.
  func forget(_ word: String, at now: WallTime) async throws(GatewayError) -> Bool {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Bool in
      let key = Self.words.key(word)
      guard try await transaction.get(key, as: ParrotWord.self) != nil else { return false }
      transaction.delete(key)
      return true
    }
  }

  /// All words, in the order of their bytes.
  func words(at now: WallTime) async throws(GatewayError) -> [ParrotWord] {
    do throws(StoreError) {
      var words: [ParrotWord] = []
      for entry in try await store.scan(Self.words.range(), limit: wordsMax, at: now) {
        words.append(try entry.value(as: ParrotWord.self))
      }
      return words
    } catch {
      throw GatewayError(error)
    }
  }
}

/// A word, and who taught it first: `krah`, by ann, for instance.
struct ParrotWord: StoreValue {
  var word: String
  var learnedFrom: UserID
}
