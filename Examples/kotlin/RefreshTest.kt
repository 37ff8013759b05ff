import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import postern.testing.Json
import postern.testing.Postern
import postern.testing.Space

/*
 * Tests of a client, each with its own gateway. The kit for Java starts the gateway and talks to it:
 *
 *     jar="$(Kits/java/build)"
 *     kotlinc -include-runtime -cp "$jar" -d tests.jar Examples/kotlin/{Client,RefreshTest}.kt
 *     java -cp "tests.jar:$jar" RefreshTestKt
 *
 * With JUnit you need no `main` and `run`: start Postern in `@BeforeAll`, a space in `@BeforeEach`.
 */

private var failures = 0

fun main() {
    Postern.start().use { postern ->
        postern.run("it asks its provider for one token when its own expires") { space ->
            Client(space.url) { space.token("ann", 3600) }.use {
                val mark = space.mark()
                space.expire("ann")
                space.happens("refreshed", "ann", mark)
                expect(1, space.journal("provider_minted", "ann", mark).size)
            }
        }
        postern.run("it lives through a day that passes at once", mapOf("frozen" to true)) { space ->
            Client(space.url) { space.token("ann", 8 * 3600) }.use {
                val moved = space.advance(86_400, 20_000)
                expect(emptyList<Any>(), moved["owing"])
                expect(3, space.journal("refreshed", "ann", 0).size)
                expect(1, space.journal("connection_opened", "", 0).size)
            }
        }
        val impatient = mapOf("settings" to mapOf("refresh-timeout" to "90s"))
        postern.run("it is told 4000 when it does not answer in time", impatient) { space ->
            val client = Client(space.url, answers = false) { space.token("ann", 3600) }
            space.expire("ann")
            expect(false, space.advance(80, 0)["answered"])
            space.advance(20, 0)
            expect(4000, client.closed.get(5, TimeUnit.SECONDS))
        }
        postern.run("it stays when the answer to its token is lost") { space ->
            Client(space.url) { space.token("ann", 3600) }.use {
                space.fail(mapOf("fault" to "drop", "what" to "reply:refresh", "times" to 1))
                space.expire("ann")
                space.happens("refreshed", "ann", 0)
                val mark = space.mark()
                space.expire("ann")
                space.happens("refreshed", "ann", mark)
                expect(1, space.journal("connection_opened", "", 0).size)
            }
        }
        postern.run("it is not let in with a token that was revoked") { space ->
            val token = space.token("ann", 3600)
            space.revoke("ann")
            try {
                Client(space.url) { token }.close()
            } catch (refused: ExecutionException) {
                return@run
            }
            throw AssertionError("it was let in")
        }
    }
    exitProcess(if (failures == 0) 0 else 1)
}

/** Runs a test in its own space, and shows the journal if it fails. */
private fun Postern.run(name: String, order: Map<String, Any> = emptyMap(), test: (Space) -> Unit) {
    space(order).use { space ->
        try {
            test(space)
            println("ok     $name")
        } catch (failure: Throwable) {
            failures += 1
            println("FAILED $name: $failure")
            space.journal("", "", 0).forEach { println("  " + Json.write(it)) }
        }
    }
}

/** `use` for `AutoCloseable`, which Kotlin's library has only for `Closeable` unless its part for Java 7 is present. */
private inline fun <Resource : AutoCloseable> Resource.use(body: (Resource) -> Unit) {
    try {
        body(this)
    } finally {
        close()
    }
}

private fun expect(wanted: Any?, found: Any?) {
    if (found != wanted) throw AssertionError("$found where $wanted was expected")
}
