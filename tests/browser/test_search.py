"""Does the search find a thing where it is taught? In the built book, over http and from the file system."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

FIRST = {
    "bank conflict": "5 · Shared memory and banks",
    "coalescing": "4 · Coalescing",
    "coalesced": "4 · Coalescing",
    "divergence": "2 · Divergence and masks",
    "active mask": "2 · Divergence and masks",
    "occupancy": "8 · Occupancy",
    "warp": "1 · Threads, warps and waves",
    "cache": "3 · Inside a multiprocessor",
    "shared memory": "5 · Shared memory and banks",
    "carve-out": "6 · Configuring on-chip memory",
    "registers": "7 · Wide loads, registers and launch bounds",
    "atomic": "5 · Shared memory and banks",
    "race": "10 · Independent thread scheduling",
    # in a reader's words
    "race condition": "10 · Independent thread scheduling",
    "why is it so slow": "4 · Coalescing",
    "my kernel hangs": "10 · Independent thread scheduling",
    "out of bounds": "1 · Threads, warps and waves",
    "VRAM": "4 · Coalescing",
    "mutex": "10 · Independent thread scheduling",
    "shuffle": "10 · Independent thread scheduling",
    "barrier": "1 · Threads, warps and waves",
    "__syncthreads": "1 · Threads, warps and waves",
    "memory fence": "11 · Synchronisation at three levels",
    "synchronization": "11 · Synchronisation at three levels",
    "cooperative groups": "12 · Cooperative groups",
    "dynamic parallelism": "13 · Parent and child grids",
    "tail launch": "13 · Parent and child grids",
    "PTX": "16 · Launching from PTX",
    "占用率": "8 · Occupancy",
    "线程束": "1 · Threads, warps and waves",
    "warp size": "1 · Threads, warps and waves",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "1 · Threads, warps and waves",
    "IndexError out of bounds": "1 · Threads, warps and waves",
    "how many threads per block": "8 · Occupancy",
    "difference between block and grid": "1 · Threads, warps and waves",
    "global memory access pattern": "4 · Coalescing",
    "L1 hit rate": "6 · Configuring on-chip memory",
    "matrices": "5 · Shared memory and banks",
    "threads don't see each other's writes": "11 · Synchronisation at three levels",
    "合并访问": "4 · Coalescing",
    "死锁": "10 · Independent thread scheduling",
    # of a question a chapter need not have all words
    "What does the mask argument of __syncwarp do?": "10 · Independent thread scheduling",
    # a name of C++, whatever it is in
    "cg::this_grid().sync()": "12 · Cooperative groups",
    "cooperative_groups::this_grid().sync()": "12 · Cooperative groups",
    # a name: the page that defines it
    "cuda.syncthreads": "Names in kernels and on the host",
    "cuda.shared.array": "Names in kernels and on the host",
    "cuda.atomic.add": "Names of numba.cuda",
    "cudaMemcpyAsync": "The runtime’s calls",
    "smsp__inst_executed": "Counters",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "Counters",
    "gld_efficiency": "Counters",
    "H200 vs A100": "Devices",
    "C500": "Devices",
    "KernelTypeError": "The package",
    "TypingError": "The package",
    "CUDA_ERROR_INVALID_VALUE": "The package",
    "ModuleNotFoundError: No module named 'gpusim'": "How GPUs Execute Code",
    "how do I install": "How GPUs Execute Code",
    "occupancy formula": "8 · Occupancy",
    # what only the pages of reference explain
    "gpusim.profile": "The package",
    "tile_explorer": "Views",
    "Kubernetes": "Teaching on a hub, in containers, in a cluster",
}
PAGES, STATUS = ".found > section", ".search [role=status]"
STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
FEW = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Search</title><main class="search">
<input type="search" aria-label="Search the course"><p role="status"></p><div class="found"></div></main>
<script src="language_data.js"></script><script src="search-sections.js"></script>
<script src="words.js"></script><script src="search.js"></script></html>"""
CACHES = """A cache keeps lines. A thread's register is a word, says NVIDIA. Slow kernels wait for memory.
name · slow kernel
l1_hit_rate counts what L1 had. blockIdx is no vertex. There are 1,024 threads. A child writes the matrix."""
SPILLS = "What does not fit is spilled. A *register* spills to memory."
CODE = "slow_kernel[1, 32](register)"


def look_for(page: Page, query: str) -> None:
    page.get_by_role("searchbox", name="Search the course").fill(query)


@pytest.fixture
def search(open_page, book):
    return open_page(book / "search.html").page


def test_a_word_finds_its_chapter_first(search):
    found = {}
    for query in FIRST:
        look_for(search, query)
        found[query] = search.locator(f"{PAGES} h2").first.inner_text()
    assert found == FIRST


def test_pages_for_instructors_come_last(search):
    look_for(search, "race condition")
    titles = search.locator(".found h2").all_text_contents()
    assert titles[-1] == "Marking the written answers"
    assert titles[0].startswith("10 ·")


def test_where_readers_pages_lack_a_word_the_others_are_found(search):
    look_for(search, "occupancy quaternion")
    assert search.locator(f"{PAGES} h2").first.inner_text() == "8 · Occupancy"


def test_an_excerpt_from_a_table_is_one_of_its_rows(search):
    look_for(search, "tensor core")
    row = search.locator(f"{PAGES}:has(h2 a:text-is('3 · Inside a multiprocessor')) li p").first
    assert row.inner_text().startswith("tensor cores · ")


@pytest.mark.parametrize(
    ("typed", "meant"), [("streem", "stream"), ("syncrhonize", "synchronize"), ("colescing", "coalescing")]
)
def test_for_what_is_misspelt_there_are_the_pages_of_what_was_meant(search, typed, meant):
    look_for(search, meant)
    pages = search.locator(".found h2").all_text_contents()
    look_for(search, typed)
    expect(search.locator(STATUS)).to_contain_text(f"Nothing found for “{typed}”.")
    assert search.locator(".found h2").all_text_contents() == pages
    search.locator(STATUS).get_by_role("link", name=meant, exact=True).click()
    expect(search.locator(STATUS)).to_have_text(f"{len(pages)} pages found.")
    expect(search.get_by_role("searchbox", name="Search the course")).to_have_value(meant)


def test_a_misspelt_word_of_several_is_put_right_among_the_others(search):
    look_for(search, "streem priority")
    search.locator(STATUS).get_by_role("link", name="stream priority", exact=True).click()
    expect(search.get_by_role("searchbox", name="Search the course")).to_have_value("stream priority")


def test_other_names_of_a_term_find_the_sections_that_use_it(search):
    look_for(search, "race condition")
    titles = search.locator(".found h2").all_text_contents()
    assert {"11 · Synchronisation at three levels", "14 · Memory across launches"} <= set(titles[:5])


@pytest.mark.parametrize("over", ["http", "file"])
def test_who_comes_back_finds_what_was_found(open_page, site, book, over):
    page = open_page(f"{site}/search.html" if over == "http" else book / "search.html").page
    look_for(page, "bank conflict")
    page.locator(PAGES).first.get_by_role("link").first.click()
    page.wait_for_url("**/shared-memory-and-banks.html")
    page.go_back()
    expect(page.get_by_role("searchbox", name="Search the course")).to_have_value("bank conflict")
    assert page.locator(f"{PAGES} h2").first.inner_text() == "5 · Shared memory and banks"


def test_pages_of_the_package_come_after_chapters(search):
    for query in ("barrier", "cooperative groups", "constant memory", "atomic"):
        look_for(search, query)
        links = search.locator(".found > section > h2 a, .found details h2 a")
        pages = links.evaluate_all("(links) => links.map((link) => link.textContent)")
        chapters = [place for place, title in enumerate(pages) if title[0].isdigit()]
        package = [
            place for place, title in enumerate(pages) if title.startswith(("E ·", "Names in kernels"))
        ]
        assert package == [] or min(package) > chapters[2]


@pytest.mark.parametrize("over", ["http", "file"])
@pytest.mark.parametrize("width", [390, 1280])
def test_results_have_excerpts_that_lead_to_sections(open_page, site, book, over, width):
    address = f"{site}/search.html" if over == "http" else (book / "search.html").as_uri()
    page = open_page(f"{address}?q=bank+conflict", width=width, height=844).page
    expect(page.locator(STATUS)).to_contain_text("pages found")
    first = page.locator(f"{PAGES} li").first
    assert "bank conflict" in first.locator("p mark").all_inner_texts()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first.get_by_role("link").click()
    page.wait_for_url("**/shared-memory-and-banks.html#*")
    expect(page.get_by_role("heading", name="A bank gives one word at a time")).to_be_in_viewport()


def test_no_section_has_the_remains_of_a_tag(search):
    remains = r"/^>(?!>).*|\b(?:class|href|id|style|data-[\w-]+)=\"[^\"]*\"\s*\/?>/gm"
    found = search.evaluate(
        f"PAGES.flatMap(([page, , , sections]) => sections.flatMap(([anchor, , prose, other]) =>"
        f" [...`${{prose}}\n${{other}}`.matchAll({remains})].map(([text]) => [page, anchor, text])))"
    )
    assert found == []


def test_a_phrase_is_found_as_it_stands(search):
    look_for(search, '"gives out one word"')
    assert search.locator(PAGES).count() == 1
    assert search.locator("p mark").all_inner_texts() == ["gives out one word"]


@pytest.mark.parametrize("name", ["shared.array", "grid"])
def test_a_name_of_a_kernel_is_shown_by_the_row_that_says_what_it_does(search, name):
    look_for(search, f"cuda.{name}")
    assert search.locator(f"{PAGES} li p").first.inner_text().startswith(f"{name}(")


def test_code_is_found_as_it_is_written(search):
    look_for(search, '"cuda.shared.array"')
    assert search.locator("p mark").first.inner_text().startswith("cuda.shared.array")


def test_an_answer_to_a_prediction_is_not_given_away(search):
    look_for(search, '"Eight floats fill a sector"')
    assert search.locator(f"{PAGES} p").count() == 0


def test_words_that_no_section_has_together_are_found_apart_and_said_to_be(search):
    look_for(search, "swizzle Kubernetes")
    expect(search.locator(STATUS)).to_contain_text("No section has all 2 words.")
    assert search.locator(PAGES).count() > 0


def test_what_is_nowhere_is_said(search):
    look_for(search, "quaternion")
    expect(search.locator(STATUS)).to_contain_text("Nothing found.")


def test_html_in_a_query_is_text(search):
    look_for(search, "<b>warp</b>")
    assert search.locator(".found b").count() == 0


def test_results_break_no_accessibility_rule(open_page, book, violations):
    page = open_page(f"{(book / 'search.html').as_uri()}?q=warp").page
    assert violations(page, within=".search") == []


def test_without_a_script_the_page_leads_to_the_index_of_terms(open_page, book):
    page = open_page(book / "search.html", java_script_enabled=False).page
    page.locator(".search").get_by_role("link", name="index of terms").click()
    expect(page.get_by_role("heading", name="Index of terms").first).to_be_visible()


@pytest.fixture
def few(open_page, book, tmp_path):
    """The search of a book of two sections."""
    sections = [
        ["", "1 · Caches", CACHES, CODE, [["cache", "fast copy"]], 1],
        ["spills", "Spills", SPILLS, CODE, [["register"]], 1],
    ]
    (tmp_path / "search-sections.js").write_text(
        f"const PAGES = {json.dumps([['caches.html', '1 · Caches', 1, sections]])};", encoding="utf-8"
    )
    scripts = [STATIC / "words.js", STATIC / "search.js", book / "_static" / "language_data.js"]
    for script in scripts:
        (tmp_path / script.name).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "search.html").write_text(FEW, encoding="utf-8")
    return open_page(tmp_path / "search.html").page


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("L1 hit rate", "l1_hit_rate"),
        ("hit", "hit"),
        ("block idx", "blockIdx"),
        ("l1_hit_rate", "l1_hit_rate"),
        ("vertices", "vertex"),
        ("matrices", "matrix"),
        ("children", "child"),
        ("written", "writes"),
        ("threads'", "thread"),
        ("cache's lines", "cache"),
        ("1024 threads", "1,024 threads"),
        ("1,024", "1,024"),
    ],
)
def test_a_word_is_found_in_all_its_forms_and_within_names(few, query, marked):
    look_for(few, query)
    assert marked in few.locator("p mark").all_inner_texts()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("hit_rate_of_l1", "hit rate of l1"), ("BLOCK_IDX", "blockIdx"), ("l1_hit_raet", "l1_hit_rate")],
)
def test_a_name_that_is_nowhere_is_taken_for_one_that_is_or_for_its_words(few, typed, meant):
    look_for(few, typed)
    expect(few.locator(STATUS)).to_have_text(f"Nothing found for “{typed}”. 1 page found for {meant}.")
    expect(few.locator(PAGES)).to_have_count(1)


@pytest.mark.parametrize("typed", ["VectorOfLanes", "CUDA_ERROR_SLOW_KERNEL", "vector_of_lanes"])
def test_a_name_like_none_is_no_words_in_a_row(few, typed):
    look_for(few, typed)
    expect(few.locator(STATUS)).to_have_text("Nothing found. Try fewer words, or the beginning of one.")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("slow kernel", "Slow kernels wait for memory."),  # better than a row and than code
        ("register", "A *register* spills to memory."),
        ("spills", "What does not fit is spilled."),
        ("fast copy", "A cache keeps lines."),  # what the words mean
        ("name", "name · slow kernel"),
    ],
)
def test_an_excerpt_has_the_sentence_that_tells_most(few, query, told):
    look_for(few, query)
    expect(few.locator(f"{PAGES} li p").first).to_contain_text(told)
