import GatewayCore
import GatewayKit

/// The directory of the words that the parrot has learned.
struct ParrotCage: Sendable {
  private static let words = StoreTable<ParrotWord>("parrot.word")

  private let store: any Store
  private let wordsMax: Int

  init(_ store: any Store, wordsMax: Int) {
    self.store = store
    self.wordsMax = wordsMax
  }

  /// Adds a word; returns whether it is new. Throws `GatewayError.tooMany` if there is no room, and
  /// `GatewayError.storeUnavailable`.
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

  /// Removes a word; returns whether it was known.
  func forget(_ word: String, at now: WallTime) async throws(GatewayError) -> Bool {
    try await store.transact(at: now) {
      (transaction: inout StoreTransaction<GatewayError>) async throws(GatewayError) -> Bool in
      let key = Self.words.key(word)
      guard try await transaction.get(key, as: ParrotWord.self) != nil else { return false }
      transaction.delete(key)
      return true
    }
  }

  /// Returns all words in the order of their bytes.
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

/// A word, and the user who taught it first.
struct ParrotWord: StoreValue {
  var word: String
  var learnedFrom: UserID
}
