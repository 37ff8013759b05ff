import GatewayCore
import GatewayKit
import TestSupport
import TestTraits
import Testing

/// The amount on an account, or the number of times that a payment was made.
private struct Amount: StoreValue {
  var cents: Int

  static let accounts = StoreTable<Amount>("tests.account")
  static let payments = StoreTable<Amount>("tests.payment")
}

struct LossyStoreTests {
  private typealias Transaction = StoreTransaction<StoreOr<GatewayError>>

  private let now = WallTime(seconds: 1_000)
  private let accounts = (0..<6).map { Amount.accounts.key("\($0)") }

  /// The result of a payment: made, or unknown.
  private struct Payment {
    var from: Int
    var to: Int
    var cents: Int
    var isSure = false
  }

  @Test(.long, arguments: StoreCase.all)
  func `ten thousand payments with lost answers each apply exactly once or report an unknown outcome`(
    _ engine: StoreCase
  ) async throws {
    let inner = try engine.make()
    let store = FaultyStore(inner, .lossy)
    let payments = await withTaskGroup(of: [Payment].self) { group in
      for payer in 0..<4 {
        group.addTask { await pay(payer, 2_500, on: store) }
      }
      var all: [[Payment]] = []
      for await payments in group { all.append(payments) }
      return all.sorted { ($0[0].from, $0[0].to) < ($1[0].from, $1[0].to) }
    }
    let (sure, unsure) = try await check(payments, in: inner)
    #expect(sure > 9_000 && unsure > 50, "\(sure) sure, \(unsure) unsure")
  }

  private func pay(_ payer: Int, _ count: Int, on store: some Store) async -> [Payment] {
    var generator = SeededGenerator(seed: UInt64(payer))
    var made: [Payment] = []
    for number in 0..<count {
      // The first account pays.
      let from = number == 0 ? payer : Int.random(in: 0..<6, using: &generator)
      let to = (from + Int.random(in: 1..<6, using: &generator)) % 6
      var payment = Payment(from: from, to: to, cents: Int.random(in: 1..<100, using: &generator))
      do throws(StoreOr<GatewayError>) {
        try await transfer(payment, as: Amount.payments.key("\(payer)", "\(number)"), on: store)
        payment.isSure = true
      } catch {
        guard case .store(.unknown) = error else {
          Issue.record("\(error)")
          continue
        }
      }
      made.append(payment)
    }
    return made
  }

  private func transfer(
    _ payment: Payment, as key: StoreKey, on store: some Store
  ) async throws(StoreOr<GatewayError>) {
    try await store.transact(at: now) { (transaction: inout Transaction) async throws(StoreOr<GatewayError>) in
      let keys = [accounts[payment.from], accounts[payment.to], key]
      let found = try await transaction.read(keys)
      for (place, change) in [-payment.cents, payment.cents, 1].enumerated() {
        let before = try transaction.value(found[place], as: Amount.self)?.cents ?? 0
        transaction.put(keys[place], Amount(cents: before + change))
      }
    }
  }

  /// Checks the accounts; returns the numbers of certain and of uncertain payments.
  private func check(_ payments: [[Payment]], in store: any Store) async throws -> (sure: Int, unsure: Int) {
    var balances = Array(repeating: 0, count: accounts.count)
    var (sure, unsure) = (0, 0)
    for (payer, made) in payments.enumerated() {
      for (number, payment) in made.enumerated() {
        let times =
          try await store.get(
            Amount.payments.key("\(payer)", "\(number)"), as: Amount.self, at: now)?.cents ?? 0
        #expect(payment.isSure ? times == 1 : times <= 1, "payment \(number) of \(payer) was made \(times) times")
        if payment.isSure { sure += 1 } else { unsure += 1 }
        balances[payment.from] -= times * payment.cents
        balances[payment.to] += times * payment.cents
      }
    }
    let found = try await store.read(accounts, at: now).map { try $0?.value(as: Amount.self).cents ?? 0 }
    #expect(found == balances)
    return (sure, unsure)
  }
}
